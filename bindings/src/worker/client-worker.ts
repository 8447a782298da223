/** A client worker: compiles tasks, holds secret keys, encrypts and decrypts; or holds public keys alone, and encrypts. */
import { openTasks } from '../raw-tasks.js';
import { clientMethods } from './client-methods.js';
import { serve } from './serve.js';

serve(clientMethods(openTasks));
