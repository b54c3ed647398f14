/** The words of the page: those that were given up stand nowhere, those that replaced them stand where people look for them. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const repo = path.resolve(import.meta.dirname, '../../../..')
const isSource = (file: string) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file)
const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^(.*?\s)??\/\/.*$/gm, '$1')

function textsBelow(folder: string, wanted: (file: string) => boolean): Map<string, string> {
  const names = readdirSync(path.join(repo, folder), { recursive: true, encoding: 'utf8' }).filter(wanted)
  return new Map(
    names.map((name) => {
      const text = readFileSync(path.join(repo, folder, name), 'utf8')
      return [path.posix.join(folder, name), isSource(name) ? withoutComments(text) : text]
    }),
  )
}

const packages = readdirSync(path.join(repo, 'packages')).map((name) => `packages/${name}/src`)
const page = textsBelow('apps/hub/src', isSource)
const everywhere = new Map([
  ...page,
  ...['apps/agent/src', ...packages].flatMap((folder) => [...textsBelow(folder, isSource)]),
  ...textsBelow('docs', (file) => file.endsWith('.md')),
  ['README.md', readFileSync(path.join(repo, 'README.md'), 'utf8')],
])

const given: readonly RegExp[] = [
  // A decision in docs/decisions ends with "Look again when".
  /\bLook again\b(?! when)/,
  /Dense or roomy/,
  /Those that are in\b/,
  /A machine that joins waits/,
  /Who may come in/,
  /Make the link/,
  /The one you have/,
  /\bThe new one\b/,
  /\bChange it\b/,
  /Code after the password/,
  /Turn codes on/,
  /Tokens of your programs/,
  /Make a token/,
  /\bMake it\b/,
  /Archived ones/,
  /[Tt]his turn only/,
  /Into the running turn/,
  /\} standing\b|\b1 standing\b|[Ss]tanding (grant|permission)/,
  /queues? (is|are) held/,
  /\bGo on\b/,
  /\bStop the program\b/,
  /End session…/,
  /Abort turn/,
  /\bEverybody\b/,
  /Somebody unknown/,
  /Why not\?/,
  /It may stay empty/,
  /first open what is folded/,
  /Nothing was running when it went/,
  /Waits for your answer/,
  /\} % full/,
  /Title, folder or last line/,
  /Agents page|\*\*Agents\*\*|title="Agents"/,
  /Add (an )?agent\b/,
  /No agents yet/,
  /checked against denyPaths/,
  /images not redacted/,
  /% full/,
  /\bAsleep\b/,
  /Approve and ask\b/,
  // Only a question has an answer: a request waits for a decision.
  /[Qq]uestions? waits?\b|Other questions/,
  /allows the same action/,
]

/** Each with every file of the page that says it. */
const said: Readonly<Record<string, readonly string[]>> = {
  'Check for programs': ['advice/what-next.ts', 'agents/agent-card.tsx'],
  'Compact / Comfortable': ['shell/shell.tsx'],
  'Add machine': ['agents/add-agent.tsx'],
  'Machines already connected are not affected': ['agents/joining.tsx'],
  'New machines need approval': ['agents/joining.tsx'],
  'Create invite link': ['people/invite-dialog.tsx'],
  'Current password': ['account/password-form.tsx'],
  'Change password': ['account/password-form.tsx'],
  'title="Two-factor authentication"': ['account/account-page.tsx'],
  '>Turn on<': ['account/second-step.tsx'],
  'title="API tokens"': ['account/account-page.tsx'],
  'Create token': ['account/token-dialog.tsx', 'account/tokens.tsx'],
  'Show archived': ['sessions/session-filters.tsx'],
  'Only for the next prompt': ['session/composer/setting-pickers.tsx'],
  'Steer the current turn': ['session/composer/composer.tsx', 'shell/shortcuts.tsx'],
  'Queue paused: the last turn did not finish.': ['session/queue/queue-chips.tsx'],
  'Stop program (can resume)': ['session/header/session-menu.tsx', 'session/header/terminal-dialog.tsx'],
  'End session for good…': ['session/header/session-menu.tsx'],
  'any="Anyone"': ['audit/audit-page.tsx'],
  'Reason for the model (optional)': ['permissions/decision-buttons.tsx', 'permissions/questions/question-buttons.tsx'],
  'Read to the end to allow.': ['permissions/decision-buttons.tsx'],
}

const filesWith = (texts: ReadonlyMap<string, string>, has: (text: string) => boolean) =>
  [...texts].filter(([, text]) => has(text)).map(([file]) => file)

describe('the words of the page', () => {
  it.each(given)('%s is said nowhere: not by the hub, an agent, a package or the docs', (old) => {
    expect(filesWith(everywhere, (text) => old.test(text))).toEqual([])
  })

  it.each(Object.entries(said))('“%s” is said where it belongs, and only there', (words, files) => {
    const found = filesWith(page, (text) => text.includes(words))
    expect(found.map((file) => file.replace('apps/hub/src/features/', '')).sort()).toEqual(files)
  })
})
