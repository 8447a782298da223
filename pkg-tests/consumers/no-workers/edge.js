// A server at the edge, where wasm comes compiled, and where there are neither workers nor files.
import * as cipherloom from 'cipherloom';
import graphs from './graphs.wasm';
import tasks from './tasks.wasm';
import { work } from './work.mjs';

const WITHOUT_WORKERS = { workers: false, wasm: { single: tasks, graphs: { single: graphs } } };

export default {
  async fetch({ url }, { given }) {
    const read = async (name) => new Uint8Array(await (await given.fetch(`http://given/${name}`)).arrayBuffer());
    const options = new URL(url).pathname === '/workers' ? {} : WITHOUT_WORKERS;
    return Response.json(await work(cipherloom, read, options));
  },
};
