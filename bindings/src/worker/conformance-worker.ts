/** A conformance worker: tries the kernels and shaders of this device. */
import { openConformance } from '../raw-conformance.js';
import { conformanceMethods } from './conformance-methods.js';
import { serve } from './serve.js';

serve(conformanceMethods(openConformance));
