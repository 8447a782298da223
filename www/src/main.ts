import { App } from './app.js';
import { settingsOf } from './settings.js';
import { connectModePanel, connectThreads } from './ui/mode-panel.js';
import { connectTheme } from './ui/theme.js';

const settings = settingsOf(location.search);
const app = new App(settings);
connectTheme(() => app.repaint());
connectModePanel();
connectThreads(settings.load.threads, (threads) => app.changeThreads(threads));
