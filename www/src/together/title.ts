/** A meeting in the title of its document: whoever has many open sees there whether it goes on without them. */

export type MeetingState =
  /** Nobody has a seat yet. */
  | { readonly at: 'none' }
  /** Others are not at the relay yet. */
  | { readonly at: 'waiting' }
  /** It is this person's turn: values are to be brought, codes to be compared, or what is computed agreed to. */
  | { readonly at: 'seated' }
  /** Agreed here; those who are absent have not yet. */
  | { readonly at: 'running'; readonly absent: readonly string[] }
  | { readonly at: 'done' }
  /** Without a result. */
  | { readonly at: 'over' };

/** What it says first is what is left of it in a narrow tab. */
export function titleOf(state: MeetingState): string {
  const said = wordsOf(state);
  return [...(said === undefined ? [] : [said]), 'Together', 'cipherloom'].join(' · ');
}

function wordsOf(state: MeetingState): string | undefined {
  switch (state.at) {
    case 'none':
      return undefined;
    case 'waiting':
      return 'Waiting';
    case 'seated':
      return 'Your turn';
    case 'running':
      return state.absent.length === 0 ? 'Computing' : `Waiting for ${state.absent.join(' and ')}`;
    case 'done':
      return 'Done';
    case 'over':
      return 'Over';
  }
}
