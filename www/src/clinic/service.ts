/** Where the clinic's service is, and how requests get there. */
import { CoreClient } from '../../../examples/clinic/client-core.mjs';

export { ClinicError, isAway } from '../../../examples/clinic/client-core.mjs';
export type ServiceClient = CoreClient;

/** Below the page: the page's policy lets it talk to no other server. */
const address = (): URL => new URL('clinic/', document.baseURI);

/** What a service says of itself. */
export interface Found {
  /** Whoever is at this machine gets an account. */
  readonly demo: boolean;
}

/** Undefined where there is none; some servers answer everything with the page. */
export async function findService(): Promise<Found | undefined> {
  try {
    const response = await fetch(new URL('health', address()));
    const said = (await response.json()) as { ok?: boolean; demo?: boolean };
    return response.ok && said.ok === true ? { demo: said.demo === true } : undefined;
  } catch {
    return undefined;
  }
}

/** A client without a loom yet; `sent` hears of bytes as they leave. */
export function newClient(sent: (bytes: number) => void): ServiceClient {
  return new CoreClient(address(), undefined, { fetch: fetchSaying(sent) });
}

/** As `fetch`, which does not tell how much of a body has left. */
function fetchSaying(sent: (bytes: number) => void): typeof fetch {
  return (target, request = {}) => {
    const { body, method, headers, signal } = request;
    return body instanceof Uint8Array
      ? upload(String(target), { body, method, headers: headers as Record<string, string>, signal, sent })
      : fetch(target, { ...request, cache: 'no-store', credentials: 'omit' });
  };
}

interface Upload {
  readonly body: Uint8Array;
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null | undefined;
  sent(bytes: number): void;
}

/** Errors: TypeError where the service is not there, as of `fetch`; the signal's reason. */
function upload(target: string, { body, method, headers, signal, sent }: Upload): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const request = new XMLHttpRequest();
    let before = 0;
    const abort = (): void => request.abort();
    const say = (bytes: number): void => {
      sent(bytes - before);
      before = bytes;
    };
    signal?.addEventListener('abort', abort);
    request.open(method ?? 'POST', target);
    request.responseType = 'arraybuffer';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => say(loaded));
    request.addEventListener('load', () => {
      say(body.length);
      const { status, statusText } = request;
      resolve(new Response(request.response as ArrayBuffer, { status, statusText }));
    });
    request.addEventListener('error', () => reject(new TypeError('The service cannot be reached')));
    request.addEventListener('abort', () => reject(signal?.reason as Error));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    request.send(body as Uint8Array<ArrayBuffer>);
  });
}
