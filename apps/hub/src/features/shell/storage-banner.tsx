'use client'
import type { StorageState } from './use-storage'

export interface StorageProps {
  state: Exclude<StorageState, 'ok'>
}

/** Explains what it means that the hub cannot write. */
export function StorageBanner({ state }: StorageProps) {
  return (
    <div role="alert" data-testid="storage" className="border-line border-b bg-failed-soft px-4 py-2 text-sm">
      <p>
        <span className="text-failed">{what[state]}</span> Machines keep working and send their output later. Until
        then, the hub takes no prompts or answers. <code className="text-ink-3 text-xs">STORAGE_UNAVAILABLE</code>
      </p>
    </div>
  )
}

const what = {
  full: 'The hub’s disk is full.',
  failing: 'The hub’s disk is failing.',
  locked: 'Another program has locked the hub’s database.',
  moved: 'The hub’s database was moved or removed while the hub ran. Put it back, or restart the hub.',
} as const
