/** Stands where a value will be. */
export function Bone({ className }: { className: string }) {
  return <span aria-hidden="true" className={`block rounded bg-secondary ${className}`} />;
}
