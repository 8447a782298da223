// In the sandboxed frame: starts one worker, and carries what it says to the page. The frame's policy takes this script alone.
'use strict';
// The page's own policy has to take it, too, and there it must do nothing.
if (self.origin !== 'null') throw new Error('For a sandboxed frame alone');
addEventListener(
  'message',
  ({ data: { text, input }, ports: [page] }) => {
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    worker.onmessage = ({ data }) => page.postMessage(data);
    worker.onerror = (event) => {
      event.preventDefault();
      page.postMessage({ kind: 'broken', message: event.message, line: event.lineno });
    };
    worker.postMessage(input);
  },
  { once: true },
);
