'use client'
/**
 * A component whose code loads on first use, so that a page opens sooner. If the hub is unavailable at that moment, the
 * component retries until the hub answers.
 */
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

const RETRY_MS = 1_000

export function late<P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile: (props: P) => ReactNode = () => null,
): ComponentType<P> {
  const Lazy = lazy(async () => {
    for (;;) {
      try {
        return { default: await load() }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }) as unknown as ComponentType<P>
  return function Late(props: P) {
    return (
      <Suspense fallback={meanwhile(props)}>
        <Lazy {...props} />
      </Suspense>
    )
  }
}
