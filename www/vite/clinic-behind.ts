import type { ProxyOptions } from 'vite';

/** Puts a clinic's service (`CLINIC_URL`) below the page, at `clinic/`: the page's policy lets it talk to no other server than its own. */
export function clinicBehind(target = process.env['CLINIC_URL']): Record<string, ProxyOptions> {
  if (!target) return {};
  return {
    '/clinic/': {
      target,
      rewrite: (path) => path.replace(/^\/clinic/, ''),
      configure: (proxy) => {
        // A service that is away is no fault of the request.
        proxy.on('error', (_error, _request, response) => {
          if (!('headersSent' in response)) return;
          if (response.headersSent) response.destroy();
          else response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
        });
      },
    },
  };
}
