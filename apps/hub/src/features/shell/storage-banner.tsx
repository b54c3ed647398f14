'use client'
import type { StorageState } from './use-storage'

export interface StorageProps {
  state: Exclude<StorageState, 'ok'>
}

/** While the hub cannot write: what that means for whoever wants to do something. */
export function StorageBanner({ state }: StorageProps) {
  return (
    <div role="alert" data-testid="storage" className="border-line border-b bg-failed-soft px-4 py-2 text-sm">
      <p>
        <span className="text-failed">{what[state]}</span> What machines do goes on there and arrives here later.
        Prompts and answers are not taken until then. <code className="text-ink-3 text-xs">STORAGE_UNAVAILABLE</code>
      </p>
    </div>
  )
}

const what = {
  full: 'The disk of the hub is full.',
  failing: 'The disk of the hub fails.',
  locked: 'Another program keeps the database of the hub locked.',
} as const
