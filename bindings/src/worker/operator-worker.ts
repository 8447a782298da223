/** An operator worker: computes users' own base operators. */
import { operatorMethods } from './operator-methods.js';
import { serve } from './serve.js';

serve(operatorMethods);
