/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { usePortal } from './portal.tsx';
import { saveFile } from './save-file.ts';
import { fill } from './words/index.ts';

interface Code {
  /** Modules per side, with the quiet zone around them. */
  size: number;
  /** An SVG path of the dark modules. */
  path: string;
}

/** The link as a QR code, dark on white in every theme, and as a file. */
export function QrCode({ link }: { link: string }) {
  const { words } = usePortal();
  const [code, setCode] = useState<Code | null>(null);
  useEffect(() => {
    // loaded separately, because most visitors never open one
    void encodeLink(link).then(setCode, () => setCode(null));
  }, [link]);
  if (code === null) return <div class="qr-code" />;
  const { size, path } = code;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
  return (
    <div class="qr-code">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={fill(words.qrCodeOf, { link })}>
        <path d={path} />
      </svg>
      <button
        type="button"
        class="button"
        onClick={() => saveFile(new Blob([svg], { type: 'image/svg+xml' }), 'qr-code.svg')}
      >
        {words.saveQrCode}
      </button>
    </div>
  );
}

async function encodeLink(link: string): Promise<Code> {
  const { encode } = await import('uqr');
  const { size, data } = encode(link, { ecc: 'M', border: 2 });
  const rows = data.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''));
  return { size, path: rows.join('') };
}
