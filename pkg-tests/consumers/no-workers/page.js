// Asks the service worker.
window.work = async () => {
  const { serviceWorker } = navigator;
  await serviceWorker.register('./service-worker.js', { type: 'module' });
  const { active } = await serviceWorker.ready;
  const answered = new Promise((resolve) => serviceWorker.addEventListener('message', ({ data }) => resolve(data)));
  serviceWorker.startMessages();
  active.postMessage('work');
  return answered;
};
