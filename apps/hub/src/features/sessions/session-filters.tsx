'use client'
import { useBackendNames } from '../../live/backend-names'
import { useMachineNames } from '../../live/machine-names'
import { useAgents } from '../../live/use-agents'
import { Field } from '../../ui/forms/field'
import { FilterChoice } from '../../ui/forms/filter-choice'
import type { Filter } from './filter'
import type { FilterChange } from './use-filter'

const states = [
  ['needs_you', 'Needs you'],
  ['running', 'Working'],
  ['idle', 'Idle'],
  ['paused', 'Paused'],
  ['resumable', 'Can be resumed'],
  ['waiting_for_agent', 'Waiting for the machine'],
  ['ended', 'Ended'],
] as const

const kindsOfSession = [
  ['true', 'Runs'],
  ['false', 'Other sessions'],
] as const

interface SessionFiltersProps {
  filter: Filter
  onFilter: (change: FilterChange) => void
}

export function SessionFilters({ filter, onFilter }: SessionFiltersProps) {
  const { agents } = useAgents()
  const names = useMachineNames()
  const nameBackend = useBackendNames()
  const kinds = new Set(agents.flatMap((agent) => agent.manifest?.backends.map((backend) => backend.kind) ?? []))
  if (filter.backend) kinds.add(filter.backend)
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-4 lg:grid-cols-[minmax(16rem,1fr)_repeat(4,minmax(0,8rem))]">
      <div className="col-span-2 sm:col-span-4 lg:col-span-1">
        <Field
          label="Search title, folder and last message"
          type="search"
          value={filter.text ?? ''}
          onChange={(event) => onFilter({ text: event.target.value })}
        />
      </div>
      <FilterChoice
        label="State"
        any="Any state"
        options={states}
        value={filter.status}
        onChoose={(status) => onFilter({ status })}
      />
      <FilterChoice
        label="Kind"
        any="Any kind"
        options={kindsOfSession}
        value={filter.runs}
        onChoose={(runs) => onFilter({ runs })}
      />
      <FilterChoice
        label="Machine"
        any="Any machine"
        options={agents.map(({ agentId, name }) => [agentId, names.get(agentId) ?? name] as const)}
        value={filter.agentId}
        onChoose={(agentId) => onFilter({ agentId })}
      />
      <FilterChoice
        label="Program"
        any="Any program"
        options={[...kinds].sort().map((kind) => [kind, nameBackend(kind)] as const)}
        value={filter.backend}
        onChoose={(backend) => onFilter({ backend })}
      />
      <label className="flex h-9 w-fit items-center gap-2 self-end text-ink-2 text-sm sm:col-span-4 sm:h-auto lg:col-span-5">
        <input
          type="checkbox"
          checked={filter.archived === 'true'}
          onChange={(event) => onFilter({ archived: event.target.checked ? 'true' : 'false' })}
          className="size-4 accent-accent"
        />
        Show archived
      </label>
    </search>
  )
}
