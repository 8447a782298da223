/** The graph worker: graphs of users' own. No key of a client ever comes here. */
import { openGraphs } from '../raw-graphs.js';
import { graphMethods } from './graph-methods.js';
import { serve } from './serve.js';

serve(graphMethods(openGraphs));
