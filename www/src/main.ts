import { App } from './app.js';
import { settingsOf } from './settings.js';
import { connectThreads } from './ui/mode-panel.js';
import { connectTheme } from './ui/theme.js';

const settings = settingsOf(location.search);
const app = new App(settings);
connectTheme(() => app.repaint());
connectThreads(settings.load.threads, (threads) => void app.changeThreads(threads));
