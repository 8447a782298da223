/** An evaluator worker: runs programs on ciphertexts and on the server's own values. No secret key ever comes here. */
import { openTasks } from '../raw-tasks.js';
import { evaluatorMethods } from './evaluator-methods.js';
import { serve } from './serve.js';

serve(evaluatorMethods(openTasks));
