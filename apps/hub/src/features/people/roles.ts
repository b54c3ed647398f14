import { Role } from '@roundhouse/backend-types'

/** What each role means, in the words of the page. */
export const roleWords: Readonly<Record<Role, { label: string; means: string }>> = {
  owner: { label: 'Owner', means: 'Can do everything, including managing owners and admins.' },
  admin: { label: 'Admin', means: 'Manages all machines, and everyone below an admin.' },
  operator: {
    label: 'Operator',
    means: 'Starts sessions, sends prompts and decides requests on the machines shared with them.',
  },
  approver: {
    label: 'Approver',
    means: 'Decides permission requests on the machines shared with them; cannot send prompts.',
  },
  viewer: { label: 'Viewer', means: 'Can read the sessions of the machines shared with them.' },
}

/** The roles that the person may give. The hub checks this itself. */
export function rolesToGive(own: Role): Role[] {
  return Role.options.filter((role) => own === 'owner' || (role !== 'owner' && role !== 'admin'))
}

export const seesAllMachines = (role: Role) => role === 'owner' || role === 'admin'
