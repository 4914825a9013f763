// Adds to the reference what needs a script: a theme to choose, a filter, buttons that copy, and where the reader is.
(() => {
  const THEME = 'refbridge-reference-theme';
  const root = document.documentElement;

  /** The earlier choice; a browser may deny the page its storage. */
  function readTheme() {
    try {
      return localStorage.getItem(THEME);
    } catch {
      return null;
    }
  }

  function chooseTheme(theme) {
    root.dataset.theme = theme;
    try {
      localStorage.setItem(THEME, theme);
    } catch {
      // then the choice applies to this page view only
    }
  }

  const chosen = readTheme();
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;

  function button(text) {
    const element = document.createElement('button');
    element.type = 'button';
    element.textContent = text;
    return element;
  }

  function isDark() {
    if (root.dataset.theme !== undefined) return root.dataset.theme === 'dark';
    return matchMedia('(prefers-color-scheme: dark)').matches;
  }

  function addThemeButton() {
    const toggle = button('');
    const name = () => {
      toggle.textContent = isDark() ? 'Light' : 'Dark';
      toggle.setAttribute('aria-label', `Switch to the ${isDark() ? 'light' : 'dark'} theme`);
    };
    name();
    toggle.addEventListener('click', () => {
      chooseTheme(isDark() ? 'light' : 'dark');
      name();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name);
    document.querySelector('.top').append(toggle);
  }

  /** The clipboard exists only on https and on localhost. */
  function addCopyButtons() {
    if (navigator.clipboard === undefined) return;
    for (const sample of document.querySelectorAll('.sample')) {
      const copy = button('Copy');
      copy.setAttribute('aria-label', `Copy ${sample.querySelector('summary').textContent}`);
      copy.addEventListener('click', async () => {
        try {
          await navigator.clipboard.writeText(sample.querySelector('pre').textContent);
          copy.textContent = 'Copied';
        } catch {
          copy.textContent = 'Not allowed';
        }
        setTimeout(() => {
          copy.textContent = 'Copy';
        }, 1500);
      });
      sample.append(copy);
    }
  }

  /** Shows only the entries of the contents whose name, method or path contains every typed word. */
  function filterContents(nav, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const list of nav.querySelectorAll('ul')) {
      for (const entry of list.children) {
        const link = entry.firstElementChild;
        const known = `${link.textContent} ${link.title} ${link.hash}`.toLowerCase();
        entry.hidden = !words.every((word) => known.includes(word));
      }
      const isEmpty = [...list.children].every((entry) => entry.hidden);
      list.hidden = isEmpty;
      list.previousElementSibling.hidden = isEmpty;
    }
  }

  function addFilter(nav) {
    const input = document.createElement('input');
    input.type = 'search';
    input.className = 'filter';
    input.placeholder = 'Filter';
    input.setAttribute('aria-label', 'Filter the contents');
    input.addEventListener('input', () => filterContents(nav, input.value));
    nav.prepend(input);
  }

  /** Marks in the contents the operation that is being read, and keeps its entry visible. */
  function followReader(nav) {
    const entries = new Map([...nav.querySelectorAll('li a')].map((link) => [link.hash.slice(1), link]));
    let current = null;
    const mark = (id) => {
      const link = entries.get(id);
      if (link === undefined || link === current) return;
      current?.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'location');
      link.scrollIntoView({ block: 'nearest' });
      current = link;
    };
    const observer = new IntersectionObserver(
      (seen) => {
        const [first] = seen.filter(({ isIntersecting }) => isIntersecting);
        if (first !== undefined) mark(first.target.id);
      },
      // a line near the top: the operation that crosses it is being read
      { rootMargin: '-20% 0px -79% 0px' },
    );
    for (const place of document.querySelectorAll('.operation, .sent, .guide section')) observer.observe(place);
  }

  /** Closes the menu of small screens after a link in it was followed. */
  function closeMenu() {
    const menu = document.querySelector('.menu');
    menu.addEventListener('click', (event) => {
      if (event.target.closest('a') !== null) menu.open = false;
    });
  }

  document.addEventListener('DOMContentLoaded', () => {
    const side = document.querySelector('.side');
    addThemeButton();
    addCopyButtons();
    addFilter(side);
    addFilter(document.querySelector('.menu nav'));
    followReader(side);
    closeMenu();
  });
})();
