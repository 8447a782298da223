import { load } from 'cipherloom';
import { JOBS } from './tasks/jobs.mjs';
for (const name of process.argv.slice(2)) {
const job = JOBS[name]; const input = job.input();
const loom = await load({ threads: 1 });
const side = await job.ours(loom, input);
const enc=[],ev=[],de=[];
for (let i=0;i<60;i++){ const a=performance.now(); const x=await side.encrypt(); const b=performance.now(); const o=await side.evaluate(x); const c=performance.now(); await side.decrypt(o); const d=performance.now(); enc.push(b-a);ev.push(c-b);de.push(d-c);}
const f=(l)=>{const s=l.slice(10).sort((p,q)=>p-q);return [s[0],s[s.length>>1],s[s.length-1]].map(v=>v.toFixed(2)).join(' ')};
console.log(name,'encrypt',f(enc),'| evaluate',f(ev),'| decrypt',f(de)); loom.dispose();
}
