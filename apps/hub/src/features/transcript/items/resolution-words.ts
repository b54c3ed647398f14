/**
 * Describes the result of a permission request in one line. A person's name is `doneBy`, which the hub's own register
 * confirms; never the name in the event (VIEW-8). Pure and exhaustive.
 */
import { type AllowingGrant, type Author, type SessionEventOf, sessionRuleId } from '@roundhouse/backend-types'
import type { Marker } from './items'
import { type Names, plainNames } from './names'

type Resolved = SessionEventOf<'permission_resolved'>

export function resolutionWords(
  event: Resolved,
  doneBy: Author | undefined,
  names: Names = plainNames,
  isPlan = false,
): { text: string; tone: Marker['tone'] } {
  switch (event.outcome) {
    case 'applied':
      return applied(event, doneBy, names, isPlan)
    case 'refused':
      return { tone: 'failed', text: refused(event) }
    case 'expired':
      return { tone: 'needs', text: 'Nobody decided in time' }
    case 'withdrawn':
      return { tone: 'quiet', text: 'The program withdrew its request' }
    case 'orphaned':
      return { tone: 'failed', text: 'The program that asked is gone' }
    case 'superseded':
      return { tone: 'quiet', text: 'Replaced by a new request: the action changed' }
    case 'outcome_unknown':
      return { tone: 'failed', text: 'Decided, but whether it ran is unknown' }
  }
}

function refused({ refusedBy: check = 'digest', rule, pattern }: Resolved): string {
  if (rule === sessionRuleId) return `Refused before it ran: the rules of this session deny ${pattern ?? 'it'}`
  return `Refused before it ran: ${refusedBy[check]}${rule === undefined ? '' : ` (rule ${rule})`}`
}

function applied(
  event: Resolved,
  doneBy: Author | undefined,
  names: Names,
  isPlan: boolean,
): { text: string; tone: Marker['tone'] } {
  if (event.by && 'grantId' in event.by) return { tone: 'done', text: byGrant(event.by) }
  const who = doneBy ? ` by ${doneBy.name}` : ', as reported by the machine'
  const why = event.reason ? `: ${event.reason}` : ''
  const how = `${event.edited ? ', edited' : ''}${event.mode ? `; continues in mode “${names.mode(event.mode)}”` : ''}${why}${changed(event)}`
  switch (event.decision) {
    case 'allow':
      return { tone: 'done', text: `${event.answered ? 'Answered' : isPlan ? 'Approved' : 'Allowed'}${who}${how}` }
    case 'allow_session':
      return {
        tone: 'done',
        text: `${event.degraded ? 'Allowed once' : event.folderRule ? 'Always allowed in this folder' : 'Allowed for this session'}${who}${covered(event)}${why}`,
      }
    case 'deny':
      return {
        tone: 'failed',
        text: `Denied${who}${why}${event.reasonUndelivered ? ' (this program takes no reason)' : ''}`,
      }
    case 'abort':
      return { tone: 'failed', text: `Turn stopped${who}${why}` }
    case undefined:
      return { tone: 'quiet', text: `Decided${who}` }
  }
}

const standing = {
  grant: 'an active permission',
  session: 'the rules of this session',
  folder: 'a rule of this folder',
} as const

/** Nobody decided, so nobody is named. Only the machine says that a grant covers this. */
function byGrant({ label, rule }: AllowingGrant): string {
  return `Allowed by ${standing[rule ?? 'grant']}${label === undefined ? '' : `: ${label}`}`
}

/** The scope that is allowed from now on, if it is wider than this action. */
function covered({ grant, folderRule }: Resolved): string {
  if (folderRule) return `: ${folderRule.label}`
  return grant && grant.scope.kind !== 'exact' ? `: ${grant.label}` : ''
}

/** Others wrote to the files; the allowed action is the same. */
function changed({ changedFiles = [] }: Resolved): string {
  if (changedFiles.length === 0) return ''
  return `; ${changedFiles.join(', ')} had changed since, which it writes to and shows`
}

const refusedBy = {
  digest: 'it was no longer what had been shown',
  policy: 'the policy of the machine forbids it',
  path: 'its folder is outside the allowed ones',
} as const

/** What allowed the request, or what the decision left: a grant of the session, or a rule of the folder. */
export function allowedBy({ by, grant, folderRule }: Resolved): { grantId?: string; ruleId?: string } {
  if (by && 'grantId' in by) return by.rule === 'folder' ? { ruleId: by.grantId } : { grantId: by.grantId }
  if (folderRule) return { ruleId: folderRule.ruleId }
  return grant ? { grantId: grant.grantId } : {}
}
