'use client'
import { shortFingerprint, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useHubSettings } from '../../live/use-hub-settings'
import { ErrorNotice } from '../../ui/forms/notice'
import { Section } from '../../ui/page'

/** The settings for new machines, for owners and admins. */
export function Joining() {
  const hub = useHub()
  const queries = useQueryClient()
  const settings = useHubSettings()
  const change = useMutation({
    mutationFn: (requireApproval: boolean) => hub.rest.changeSettings({ requireApproval }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['settings'] }),
  })
  // Set at once: otherwise the box would show the old value until the hub has answered.
  const [wanted, setWanted] = useState<boolean | null>(null)
  function choose(requireApproval: boolean) {
    setWanted(requireApproval)
    change.mutate(requireApproval, { onSettled: () => setWanted(null) })
  }
  if (!settings) return null
  return (
    <div className="mt-8">
      <Section title="New machines">
        <div className="space-y-2 rounded-lg border border-line bg-surface px-4 py-3 text-sm">
          <label className="flex items-start gap-2">
            <input
              type="checkbox"
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={wanted ?? settings.requireApproval}
              disabled={wanted !== null}
              onChange={(event) => choose(event.target.checked)}
            />
            New machines need approval
          </label>
          <p className="text-ink-3 text-xs">
            Machines already connected are not affected. Hub key:{' '}
            <span className="whitespace-nowrap font-mono" title={settings.hubKeyFingerprint}>
              {shortFingerprint(settings.hubKeyFingerprint)}
            </span>
          </p>
          {change.error ? <ErrorNotice error={toCodedError(change.error).toBody()} /> : null}
        </div>
      </Section>
    </div>
  )
}
