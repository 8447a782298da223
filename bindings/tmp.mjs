import { load } from './dist/index.js';
import { describeStatistics } from '../bench/tasks/statistics.mjs';
const loom = await load({threads:1});
const rows = Number(process.argv[2] ?? 569);
const task = loom.task();
const values = (k)=>Array.from({length:rows},(_, i)=> ((i*k)%10000)/100);
const col = (name,k)=>({name, values: values(k), decimals: 2, min: 0, max: 100});
const cols=[col('a',7), col('b',13)];
describeStatistics(task, cols);
const p = await task.compile();
const client = await p.client();
const vals = Object.fromEntries(cols.map(c=>[c.name,c.values]));
const med = async (f, n=60)=>{ const t=[]; for(let i=0;i<n;i++){const s=performance.now(); await f(); t.push(performance.now()-s);} t.sort((a,b)=>a-b); return t[n>>1].toFixed(2)+' min '+t[0].toFixed(2); };
let inputs = await client.encrypt(vals);
let results = await p.run(inputs, client.evaluationKeys);
console.log('encrypt', await med(()=>client.encrypt(vals)));
console.log('run', await med(()=>p.run(inputs, client.evaluationKeys)));
console.log('decrypt', await med(()=>client.decrypt(results)));
console.log('bytes', Object.values(inputs).map(b=>b.length), Object.values(results).map(b=>b.length), p.info.operators, p.info.cost);
if (process.argv[3]) { let best; for (let i=0;i<9;i++){ let trace; const s=performance.now(); await p.run(inputs, client.evaluationKeys,{onTrace:t=>trace=t}); const all=performance.now()-s; if(!best||all<best.all)best={all,trace}; }
 const {types,type}=await p.graph('base'); const ops={}; for (const [i,op] of best.trace.op.entries()){ const n=types[type[op]]??'other'; ops[n]??=[0,0]; ops[n][0]++; ops[n][1]+=best.trace.end[i]-best.trace.start[i]; } console.log(best.all, Object.entries(ops).map(([n,[c,t]])=>`${n} ${c} ${t.toFixed(2)}`).join(', '), 'steps', best.trace.end.reduce((a,b)=>Math.max(a,b),0)); }
process.exit(0)
