import { Role } from '@roundhouse/backend-types'

/** What each role means, in the words of the page. */
export const roleWords: Readonly<Record<Role, { label: string; means: string }>> = {
  owner: { label: 'Owner', means: 'Everything, other owners and admins included.' },
  admin: { label: 'Admin', means: 'All machines, and everybody below an admin.' },
  operator: { label: 'Operator', means: 'Starts sessions, prompts and answers, on the machines shared with them.' },
  approver: { label: 'Approver', means: 'Answers permission prompts; does not prompt.' },
  viewer: { label: 'Viewer', means: 'Reads along, on the machines shared with them.' },
}

/** Whom the asker may make or change. The hub judges by itself. */
export function rolesToGive(own: Role): Role[] {
  return Role.options.filter((role) => own === 'owner' || (role !== 'owner' && role !== 'admin'))
}

export const seesAllMachines = (role: Role) => role === 'owner' || role === 'admin'
