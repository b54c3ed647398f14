/**
 * Further programs of this machine, by name: each is a backend that speaks the Agent Client Protocol. The names are open, what
 * is said of each program is not. Naming a program here allows it.
 */
import { isBackendKind } from '@roundhouse/backend-types'
import { z } from 'zod'
import { isBuiltIn, profileNames } from '../backends/built-in'

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const controls = /[\u0000-\u001f\u007f]/

const Argument = z.string().refine((text) => !text.includes('\0'), 'must not contain a zero byte')

const ProgramShape = z.strictObject({
  /** The absolute path of the program, then its arguments. */
  argv: z.tuple([Argument.startsWith('/', 'must be an absolute path')], Argument),
  /** What is known of it. `generic`: nothing but that it speaks the protocol. */
  profile: z.enum(profileNames).default('generic'),
  /** What people see. Absent: its name. */
  label: z
    .string()
    .min(1)
    .max(60)
    .refine((text) => !controls.test(text), 'must be one line')
    .optional(),
})

const ProgramRule = ProgramShape.superRefine(({ argv, profile }, { addIssue }) => {
  const wrong = profile === 'openclaw-gateway' ? faultOfGateway(argv) : undefined
  if (wrong !== undefined) addIssue({ code: 'custom', path: ['argv'], message: wrong })
})
export type ProgramRule = z.infer<typeof ProgramRule>

/** Everybody on the machine may read the arguments of a process, so the secret stays in its file. */
function faultOfGateway(argv: readonly string[]): string | undefined {
  const after = (option: string) => argv[argv.indexOf(option) + 1] ?? ''
  const isSecret = (argument: string) => /^--(token|password)(=|$)/.test(argument)
  if (argv.some(isSecret)) return 'must not hold a secret: name its file with "--token-file"'
  if (!argv.includes('--url') || !/^wss?:\/\//.test(after('--url')))
    return 'must name the gateway: "--url", then its ws: or wss: address'
  return argv.includes('--token-file') && after('--token-file').startsWith('/')
    ? undefined
    : 'must name the file with the token: "--token-file", then its absolute path'
}

export const ProgramRules = z.record(z.string(), ProgramRule).superRefine((programs, { addIssue }) => {
  for (const name of Object.keys(programs)) {
    const wrong = faultOf(name)
    if (wrong !== undefined) addIssue({ code: 'custom', path: [name], message: wrong })
  }
})

function faultOf(name: string): string | undefined {
  if (isBuiltIn(name))
    return 'is a backend of this release: give the program another name, or set its path in "backends"'
  return isBackendKind(name) ? undefined : 'must be small letters, digits and "-", beginning with a letter'
}

/** A program as hosts and askers are told of it. */
export const namedProgram = (kind: string, { argv, profile, label = kind }: ProgramRule) => ({
  argv: [...argv],
  profile,
  label,
})
