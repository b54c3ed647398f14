'use client'
/** A dialog whose code loads when it first opens. Until then, keys are held for it (key-hold.ts). */
import { type ComponentType, useSyncExternalStore } from 'react'
import { late } from './late'
import { Opening } from './opening'

export function lateDialog<P extends { onClose: () => void }>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let failing = false
  const listeners = new Set<() => void>()
  const tell = (now: boolean) => {
    failing = now
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  function Meanwhile({ onClose }: P) {
    const fails = useSyncExternalStore(
      subscribe,
      () => failing,
      () => false,
    )
    return <Opening failing={fails} onClose={onClose} />
  }
  return late<P>(
    () =>
      load().then(
        (component) => {
          tell(false)
          return component
        },
        (error: unknown) => {
          tell(true)
          throw error
        },
      ),
    (props) => <Meanwhile {...props} />,
  )
}
