/** A plain link: every page carries this one, and would carry the code of Next's for it. */
export default function NotFound() {
  return (
    <main className="grid min-h-full place-items-center p-6">
      <div className="max-w-sm text-center">
        <h1 className="font-semibold text-lg">Page not found</h1>
        <p className="mt-1 text-ink-2">The address is wrong, or the page was deleted.</p>
        <a href="/" className="mt-4 inline-block text-accent underline underline-offset-4">
          Back to the inbox
        </a>
      </div>
    </main>
  )
}
