/** The product's mark: a turntable seen from above, three tracks leading in. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      className={className}
      aria-hidden="true"
    >
      <circle cx="12" cy="12" r="5" />
      <path d="M8 12h8" />
      <path d="M12 2v3M20.66 17l-2.6-1.5M3.34 17l2.6-1.5" />
    </svg>
  )
}
