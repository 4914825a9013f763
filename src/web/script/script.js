/**
 * /script.js: stores the id of the click that brought this visitor in a first-party cookie. It runs unmodified (ES2018,
 * no dependencies, no build) and never throws into the page. script.d.ts has the types of its API; docs/tracking.md
 * describes the attributes of its tag.
 */
(() => {
  // stops when the page contains the tag twice, but not for an HTML element with this id
  if (Object(window.refbridge).getClickId) return;

  const tag = /** @type {HTMLScriptElement | null} */ (
    document.currentScript || document.querySelector('script[src*="/script.js"]')
  );
  /** @param {string} name */
  const attribute = (name) => (tag ? tag.getAttribute(`data-${name}`) : null);

  const parameterName = attribute('param') || 'svc_id';
  /** @param {string} text */
  const listIn = (text) => text.split(',').map((name) => name.trim());
  const viaNames = listIn(attribute('via') || 'via');
  const isViaAuto = viaNames[0] === 'auto';
  const aliases = listIn(attribute('cookie-aliases') || '').filter((name) => /^[\w.-]+$/.test(name));
  const cookieDays = Number(attribute('cookie-days')) > 0 ? Number(attribute('cookie-days')) : 90;
  const cookieDomain = attribute('domain');
  const isFirstClick = attribute('model') === 'first-click';
  const isUrlCleaned = attribute('clean-url') !== 'false';
  const isOptOutHonoured = attribute('do-not-track') !== null && attribute('do-not-track') !== 'false';
  const isOptedOut =
    isOptOutHonoured &&
    (navigator.doNotTrack === '1' || ('globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true));

  /** @param {unknown} text */
  const isClickId = (text) => /^clk_[0-9A-Za-z]{1,60}$/.test(String(text));

  /** @returns {string | null} */
  const readClickId = () => {
    const found = isOptedOut ? null : /(?:^|; )svc_id=(clk_[0-9A-Za-z]{1,60})(?:;|$)/.exec(document.cookie);
    return found ? found[1] : null;
  };

  /** @type {(text: string, days: number, domain: string | null) => void} */
  const writeCookie = (text, days, domain) => {
    const scope = (domain ? `; Domain=${domain}` : '') + (location.protocol === 'https:' ? '; Secure' : '');
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous and younger than ES2018
    document.cookie = `${text}; Max-Age=${Math.round(days * 86400)}; Path=/; SameSite=Lax${scope}`;
  };

  /** @param {string} name */
  const deleteCookie = (name) => {
    writeCookie(`${name}=`, 0, null);
    if (cookieDomain) writeCookie(`${name}=`, 0, cookieDomain);
  };

  /** @type {(pair: string, name: string) => boolean} */
  const isNamed = (pair, name) => pair.split('=')[0] === name;

  /** @type {(pair: string) => boolean} */
  const hasCookie = (pair) => document.cookie.split('; ').indexOf(pair) >= 0;

  /** @type {(pair: string, name: string) => boolean} */
  const isRead = (pair, name) => document.cookie.split('; ').find((other) => isNamed(other, name)) === pair;

  /**
   * Does not rewrite the same id, because browsers keep a cookie from the server longer than one from a script.
   *
   * @type {(name: string, clickId: string) => void}
   */
  const storeAs = (name, clickId) => {
    const pair = `${name}=${clickId}`;
    if (isRead(pair, name)) return;
    // an earlier one of this host alone hides what the server has set for the domain
    writeCookie(`${name}=`, 0, null);
    if (isRead(pair, name)) return;
    deleteCookie(name);
    writeCookie(pair, cookieDays, cookieDomain);
    // the browser rejects a domain that this host does not belong to, such as on a preview of the site
    if (!hasCookie(pair)) writeCookie(pair, cookieDays, null);
  };

  // without consent, the click that is still in the URL must not be stored when a router changes that URL
  let isReset = false;
  // a router may put back the URL with which the page began, after the visitor has followed another link in another tab
  const visits = new Set();

  /**
   * Returns whether the cookie has contained this click since the page was loaded, or with first-click an earlier one.
   *
   * @param {string} clickId
   */
  const storeClickId = (clickId) => {
    if (isReset) return false;
    const isKept = visits.has(clickId) || (isFirstClick && readClickId() !== null);
    if (!isKept) for (const name of ['svc_id', ...aliases]) storeAs(name, clickId);
    if (isKept || readClickId() === clickId) visits.add(clickId);
    return visits.has(clickId);
  };

  const canStore = () => {
    writeCookie('svc_probe=1', 1, null);
    const isStored = document.cookie.indexOf('svc_probe=1') >= 0;
    writeCookie('svc_probe=', 0, null);
    return isStored;
  };

  const queryPairs = () => location.search.slice(1).split('&');

  /** @param {string} name */
  const parameter = (name) => {
    const pair = queryPairs().find((candidate) => isNamed(candidate, name)) || '';
    try {
      return decodeURIComponent(pair.slice(name.length + 1).replace(/\+/g, ' '));
    } catch (_error) {
      // somebody else's parameter, not in UTF-8
      return '';
    }
  };

  const pageUrl = () => location.href.split(/[?#]/)[0];

  /**
   * Removes the parameters with this value from the address bar; the rest of the URL stays byte for byte.
   *
   * @type {(names: string[], value: string) => void}
   */
  const removeAll = (names, value) => {
    const present = names.filter((name) => parameter(name) === value);
    if (!isUrlCleaned || present.length === 0) return;
    const query = queryPairs().filter((pair) => !present.some((name) => isNamed(pair, name)));
    const search = query.length > 0 ? `?${query.join('&')}` : '';
    history.replaceState(history.state, '', pageUrl() + search + location.hash);
  };

  /** The parameters that may name a link, by name; with `auto` all that look like a key, of which the program knows its own. */
  const viaParameters = () => {
    /** @type {Record<string, string>} */
    const found = {};
    const names = isViaAuto ? queryPairs().map((pair) => pair.split('=')[0]) : viaNames;
    for (const name of names.slice(0, 10)) {
      const value = name && name !== 'false' ? parameter(name) : '';
      if (isViaAuto ? /^[a-z0-9][\w.~-]{0,99}$/i.test(value) && !/^utm_/.test(name) : value) found[name] = value;
    }
    return found;
  };

  let handled = '';

  /**
   * On the page of a `?via=<key>` link: the service records the click and returns its id.
   *
   * @param {Record<string, string>} parameters
   */
  const recordVisit = async (parameters) => {
    if (!tag) return;
    const service = new URL(tag.src);
    // only the service knows which parameters the program lists, and which keys exist
    const candidates = isViaAuto ? [{ parameters }] : Object.values(parameters).map((key) => ({ key }));
    for (const candidate of candidates) {
      if (isReset) return;
      const response = await fetch(`${service.origin}/api/track/click`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        credentials: 'omit',
        keepalive: true,
        body: JSON.stringify({
          domain: attribute('link-domain') || service.host,
          ...candidate,
          url: pageUrl().slice(0, 2048),
          referrer: document.referrer.slice(0, 2048) || null,
        }),
      });
      if (response.status === 404) continue;
      const { clickId, key } = await response.json();
      if (isClickId(clickId) && storeClickId(clickId)) removeAll(Object.keys(parameters), key);
      return;
    }
  };

  const capture = async () => {
    const clickId = parameter(parameterName);
    const parameters = viaParameters();
    const found = Object.keys(parameters).length > 0 ? JSON.stringify(parameters) : '';
    const isNew = found !== '' && found !== handled;
    handled = found || handled;
    if (isClickId(clickId)) {
      if (storeClickId(clickId)) removeAll([parameterName, ...aliases], clickId);
    } else if (isNew) {
      await recordVisit(parameters);
    }
  };

  const watchNavigation = () => {
    for (const name of /** @type {const} */ (['pushState', 'replaceState'])) {
      const original = history[name];
      history[name] = (...change) => {
        original.apply(history, change);
        // not on popstate, because going back is not another visit through a link
        capture().catch(() => null);
      };
    }
  };

  // async functions start synchronously, so the cookie is set when this script ends, and nothing throws
  const start = async () => {
    if (isOptedOut || !canStore()) return;
    watchNavigation();
    const stored = readClickId();
    // the server may have written the cookie
    if (stored) for (const name of aliases) storeAs(name, stored);
    await capture();
  };
  const activation = async () => {
    // prerendering is not a visit yet
    if ('prerendering' in document && document.prerendering) {
      await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }));
    }
    await start();
  };

  /**
   * @template Result
   * @param {() => Result} work
   */
  const orNull = (work) => {
    try {
      return work();
    } catch (_) {
      return null;
    }
  };

  const getClickId = () => orNull(readClickId);

  const ready = activation().then(getClickId, getClickId);

  window.refbridge = {
    getClickId,
    getClick() {
      const id = getClickId();
      if (id === null) return null;
      const time = /^clk_([0-9a-f]{12})/.exec(id);
      return { id, clickedAt: time ? parseInt(time[1], 16) : null };
    },
    reset() {
      isReset = true;
      orNull(() => ['svc_id', ...aliases].forEach(deleteCookie));
    },
    ready,
  };
  // for scripts that ran before this one, which may be loaded with `async`
  ready.then((detail) => document.dispatchEvent(new CustomEvent('refbridge:ready', { detail, bubbles: true })));
})();
