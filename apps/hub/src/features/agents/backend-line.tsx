'use client'
import type { BackendManifestEntry } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { Check, Minus } from 'lucide-react'
import { shownCapabilities } from './shown-capabilities'

/** If a backend did not answer, it is unknown whether it is installed. */
function whyNot({ unavailableReason, unanswered }: BackendManifestEntry): string {
  if (unanswered !== true) return unavailableReason ?? 'not installed'
  return `${unavailableReason ?? 'It did not answer.'} It is asked again by itself.`
}

/** One backend of a machine: its version and capabilities, or why it is missing. */
export function BackendLine({ backend }: { backend: BackendManifestEntry }) {
  return (
    <li
      data-testid={`backend-${backend.kind}`}
      data-installed={backend.installed}
      title={backend.unavailableReason}
      className={clsx('text-sm', !backend.installed && 'text-ink-3')}
    >
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span
          className={clsx('size-1.5 self-center rounded-full', backend.installed ? 'bg-done' : 'bg-line-strong')}
          aria-hidden
        />
        <span className="font-medium">{backend.label}</span>
        {backend.installed ? (
          <span className="text-ink-3 text-xs" title={backend.binaryPath}>
            {backend.version}
            {backend.testedWith ? ` · not tested with this release (tested: ${backend.testedWith.join(', ')})` : null}
            {backend.modelsLeftOut
              ? ` · ${backend.modelsLeftOut.toLocaleString('en')} more models are not listed`
              : null}
          </span>
        ) : (
          <span className="text-xs [overflow-wrap:anywhere]">{whyNot(backend)}</span>
        )}
      </div>
      {backend.installed ? (
        <details className="ml-3.5 text-ink-3 text-xs">
          <summary className="w-fit hover:text-ink">What it can do</summary>
          <ul className="my-1 grid gap-x-4 gap-y-0.5 sm:grid-cols-2">
            {shownCapabilities(backend.capabilities).map(({ label, yes }) => (
              <li key={label} className={clsx('flex items-start gap-1.5', yes && 'text-ink-2')}>
                {yes ? (
                  <Check className="mt-0.5 size-3 shrink-0 text-done" aria-hidden />
                ) : (
                  <Minus className="mt-0.5 size-3 shrink-0" aria-hidden />
                )}
                <span className="sr-only">{yes ? 'yes: ' : 'no: '}</span>
                {label}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </li>
  )
}
