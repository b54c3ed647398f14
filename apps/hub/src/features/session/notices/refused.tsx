import Link from 'next/link'
import { CodeOf, EmptyState } from '../../../ui/forms/notice'

/** Says why there is no session to show. */
export function Refused({ code, message }: { code: string; message: string }) {
  return (
    <main className="p-4 md:p-6">
      <h1 className="sr-only">Session</h1>
      <EmptyState
        title="This session cannot be shown"
        action={
          <Link href="/sessions" className="text-accent underline underline-offset-4">
            All sessions
          </Link>
        }
      >
        {message}
        <CodeOf code={code} />
      </EmptyState>
    </main>
  )
}
