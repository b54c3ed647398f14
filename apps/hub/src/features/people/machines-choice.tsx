'use client'
import { useMachineNames } from '../../live/machine-names'
import { useAgents } from '../../live/use-agents'
import { PlainText } from '../../ui/text/plain-text'

interface MachinesChoiceProps {
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

/** Chooses the machines that are shared with a person. */
export function MachinesChoice({ chosen, onChange }: MachinesChoiceProps) {
  const { agents } = useAgents()
  const names = useMachineNames()
  const toggle = (agentId: string) => {
    const next = new Set(chosen)
    if (!next.delete(agentId)) next.add(agentId)
    onChange(next)
  }
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink-2 text-sm">Machines shared with them</legend>
      {agents.length === 0 ? <p className="text-ink-3 text-sm">No machines yet.</p> : null}
      <ul className="max-h-40 space-y-1 overflow-y-auto">
        {agents.map(({ agentId, name }) => (
          <li key={agentId}>
            <label className="flex items-center gap-2 py-0.5 pointer-coarse:py-2 text-sm">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={chosen.has(agentId)}
                onChange={() => toggle(agentId)}
              />
              <PlainText>{names.get(agentId) ?? name}</PlainText>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
