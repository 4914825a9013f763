/** A placeholder for a value that is loading. */
export function Bone({ className }: { className: string }) {
  return <span aria-hidden="true" className={`block rounded bg-secondary ${className}`} />;
}
