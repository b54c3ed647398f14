/** The words of the contract for sandbox, mode and thinking, put into the words of Codex. Pure. */
import { type AcceptedValues, CodedError, type ManifestChoice, Sandbox } from '@roundhouse/backend-types'

/** `approvalPolicy`. `never` is offered but never a default. */
export const modes: ManifestChoice[] = [
  {
    code: 'on-request',
    label: 'Ask when needed',
    description: 'Commands run inside the sandbox without asking; Codex asks when it wants to leave it.',
    default: true,
  },
  {
    code: 'untrusted',
    label: 'Ask before every command',
    description: 'Every command waits for a person.',
  },
  {
    code: 'never',
    label: 'Never ask',
    description: 'Nothing asks. What the sandbox forbids fails.',
  },
]

/** Which models and thinking levels there are is the model service's matter. */
export const accepted: AcceptedValues = { modes: modes.map(({ code }) => ({ code })), sandboxes: Sandbox.options }

export function approvalPolicyOf(mode: string | undefined): string {
  if (mode === undefined) return 'on-request'
  if (modes.some(({ code }) => code === mode)) return mode
  throw new CodedError('UNSUPPORTED', `Codex has no mode "${mode}".`, { field: 'mode' })
}

const sandboxModes = {
  'read-only': 'read-only',
  'workspace-write': 'workspace-write',
  'full-access': 'danger-full-access',
} as const satisfies Record<Sandbox, string>

export function sandboxModeOf(sandbox: Sandbox | undefined): string {
  return sandboxModes[sandbox ?? 'workspace-write']
}

/** Sent with a turn when the sandbox of a running thread changes. `networkAccess` is what the thread started with. */
export function sandboxPolicyOf(sandbox: Sandbox, writableRoots: string[], networkAccess: boolean): object {
  switch (sandbox) {
    case 'read-only':
      return { type: 'readOnly', networkAccess: false }
    case 'workspace-write':
      return { type: 'workspaceWrite', writableRoots, networkAccess, excludeTmpdirEnvVar: false, excludeSlashTmp: true }
    case 'full-access':
      return { type: 'dangerFullAccess' }
  }
}

/** The reasoning effort. Which words a model takes is the model's matter, so any plain word goes through. */
export function effortOf(thinking: string | undefined): string | undefined {
  if (thinking === undefined || /^[a-z]{1,32}$/.test(thinking)) return thinking
  throw new CodedError('UNSUPPORTED', `"${thinking}" is no reasoning effort.`, { field: 'thinking' })
}
