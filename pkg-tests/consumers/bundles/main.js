import * as cipherloom from 'cipherloom';
import { work } from './work.mjs';
import { read } from './read.js';

window.work = (options) => work(cipherloom, read, options);
