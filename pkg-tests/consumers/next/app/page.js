// Rendered on the server first, where nothing of the package starts.
'use client';
import { useEffect } from 'react';
import * as cipherloom from 'cipherloom';
import { read } from '../read.js';
import { work } from '../work.mjs';

export default function Page() {
  useEffect(() => {
    window.work = (options) => work(cipherloom, read, options);
  }, []);
  return <p>{cipherloom.STAGES.join(', ')}</p>;
}
