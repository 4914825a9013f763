import './theme.ts';
import './dashboard.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { preload } from './shell/page-file.tsx';
import { isAt, SECTIONS } from './shell/sections.ts';

// beside the question who is signed in, rather than after it
const path = location.pathname.slice('/dashboard'.length) || '/';
const section = SECTIONS.find((section) => isAt(path, section.path));
if (section) preload(section.file);

createRoot(document.getElementById('root') as HTMLElement).render(<App />);
