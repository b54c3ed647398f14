'use client'
import { useAgents } from '../../live/use-agents'
import { Choice } from '../../ui/choice'
import { Field } from '../../ui/field'
import { backendName } from './backend-name'
import type { Filter } from './filter'

const states = [
  { value: '', label: 'Any state' },
  { value: 'needs_you', label: 'Needs you' },
  { value: 'running', label: 'Working' },
  { value: 'idle', label: 'Idle' },
  { value: 'paused', label: 'Paused' },
  { value: 'resumable', label: 'Can be resumed' },
  { value: 'waiting_for_agent', label: 'Waiting for the machine' },
  { value: 'ended', label: 'Ended' },
]

interface SessionFiltersProps {
  filter: Filter
  onFilter: (change: Partial<Filter>) => void
}

export function SessionFilters({ filter, onFilter }: SessionFiltersProps) {
  const { agents } = useAgents()
  const kinds = new Set(agents.flatMap((agent) => agent.manifest?.backends.map((backend) => backend.kind) ?? []))
  if (filter.backend) kinds.add(filter.backend)
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-[minmax(10rem,1fr)_repeat(3,minmax(7rem,10rem))]">
      <div className="col-span-2 sm:col-span-1">
        <Field
          label="Title, folder or last line"
          type="search"
          value={filter.text ?? ''}
          onChange={(event) => onFilter({ text: event.target.value })}
        />
      </div>
      <Choice label="State" options={states} value={filter.status ?? ''} onChoose={(status) => onFilter({ status })} />
      <Choice
        label="Machine"
        value={filter.agentId ?? ''}
        onChoose={(agentId) => onFilter({ agentId })}
        options={[{ value: '', label: 'Any machine' }, ...agents.map((a) => ({ value: a.agentId, label: a.name }))]}
      />
      <Choice
        label="Backend"
        value={filter.backend ?? ''}
        onChoose={(backend) => onFilter({ backend })}
        options={[
          { value: '', label: 'Any backend' },
          ...[...kinds].sort().map((kind) => ({ value: kind, label: backendName(kind) })),
        ]}
      />
      <label className="flex h-9 w-fit items-center gap-2 self-end text-ink-2 text-sm sm:col-span-4 sm:h-auto">
        <input
          type="checkbox"
          checked={filter.archived === 'true'}
          onChange={(event) => onFilter({ archived: event.target.checked ? 'true' : 'false' })}
          className="accent-accent"
        />
        Archived ones
      </label>
    </search>
  )
}
