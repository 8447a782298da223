// Asks workers that start none of their own.
window.inService = async () => {
  const { serviceWorker } = navigator;
  await serviceWorker.register('./service-worker.js', { type: 'module' });
  const { active } = await serviceWorker.ready;
  const answered = new Promise((resolve) => serviceWorker.addEventListener('message', ({ data }) => resolve(data)));
  serviceWorker.startMessages();
  active.postMessage('work');
  return answered;
};

window.inShared = async () => {
  const { port } = new SharedWorker('./shared-worker.js', { type: 'module' });
  const answered = new Promise((resolve) => port.addEventListener('message', ({ data }) => resolve(data)));
  port.start();
  return answered;
};
