'use client'
import type { Role } from '@roundhouse/backend-types'
import { Choice } from '../../ui/forms/choice'
import { MachinesChoice } from './machines-choice'
import { rolesToGive, roleWords, seesAllMachines } from './roles'

export interface Rights {
  role: Role
  agents: ReadonlySet<string>
}

interface RightsFieldsProps {
  own: Role
  rights: Rights
  onChange: (rights: Rights) => void
}

/** A person's role and machines. */
export function RightsFields({ own, rights, onChange }: RightsFieldsProps) {
  return (
    <>
      <div>
        <Choice
          label="Role"
          value={rights.role}
          options={rolesToGive(own).map((role) => ({ value: role, label: roleWords[role].label }))}
          onChoose={(role) => onChange({ ...rights, role: role as Role })}
        />
        <p className="mt-1 text-ink-3 text-xs">{roleWords[rights.role].means}</p>
      </div>
      {seesAllMachines(rights.role) ? null : (
        <MachinesChoice chosen={rights.agents} onChange={(agents) => onChange({ ...rights, agents })} />
      )}
    </>
  )
}
