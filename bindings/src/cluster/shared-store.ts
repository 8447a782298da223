/** Stores that machines share. */
import type { Ref, Store } from '../job/store.js';

/** A store that all machines of a cluster reach. The interface is the one to implement for a store of one's own. */
export interface SharedStore extends Store {
  /** Tells stores apart: managers and workers compare it, since what one puts the others have to find. */
  identity(): Promise<string>;
  /** Which of these are there: what a run has left is taken up again only where its chunks are. */
  has(refs: readonly Ref[]): Promise<boolean>;
  /** Lets go of connections; what is stored stays. */
  close(): Promise<void>;
}
