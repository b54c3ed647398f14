/**
 * `SpawnOptions.providerConfig` of Claude Code: what its SDK knows and the contract has no field for, by the names of the SDK.
 * Pure. Measured on 2.1.330: each name here has its effect by the flag, the setting or the field of `initialize` below.
 */
import { CodedError } from '@roundhouse/backend-types'
import { asRecord, compact, type Frame } from '../wire/frames'

export interface ProviderConfig {
  /** In the place of the program's own. The contract's `systemPrompt` is appended to either. */
  systemPrompt?: string
  maxTurns?: number
  maxBudgetUsd?: number
  /** Absent: yes, the live text comes from them. */
  includePartialMessages?: boolean
  /** Absent: yes. */
  forwardSubagentText?: boolean
  /** The program says the id of each prompt, by which `rewindFiles` puts files back. It keeps them in any case. */
  enableFileCheckpointing?: boolean
  /** Whose settings it loads: `user`, `project`, `local`. Absent: as the machine's policy says. */
  settingSources?: readonly string[]
  betas?: readonly string[]
  fallbackModel?: string
  agents?: Frame
  /** By event: the tools that each is called for. The calls go to `AdapterContext.direct`. */
  hooks?: Readonly<Record<string, readonly Frame[]>>
  sandbox?: Frame
  /** JSON schema of the result. */
  outputSchema?: Frame
}

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0
const isFlag = (value: unknown) => typeof value === 'boolean'
const isList = (value: unknown) => Array.isArray(value) && value.every(isText)
const isRecord = (value: unknown) => asRecord(value) !== undefined
const areMatchers = (value: unknown) =>
  Object.values(asRecord(value) ?? { none: null }).every((list) => Array.isArray(list) && list.every(isRecord))

const fields: Readonly<Record<keyof ProviderConfig, (value: unknown) => boolean>> = {
  systemPrompt: isText,
  maxTurns: isNumber,
  maxBudgetUsd: isNumber,
  includePartialMessages: isFlag,
  forwardSubagentText: isFlag,
  enableFileCheckpointing: isFlag,
  settingSources: isList,
  betas: isList,
  fallbackModel: isText,
  agents: isRecord,
  hooks: areMatchers,
  sandbox: isRecord,
  outputSchema: isRecord,
}

const ofProject = ['project', 'local']

/** Throws `UNSUPPORTED` for a name that is not known, and refuses what the machine's policy does not let in. */
export function readProviderConfig(given: Frame = {}, trustProjectConfig = false): ProviderConfig {
  for (const [name, value] of Object.entries(given)) {
    const fits = Object.hasOwn(fields, name) ? fields[name as keyof ProviderConfig] : undefined
    if (!fits) throw new CodedError('UNSUPPORTED', `Claude Code has no option "${name}".`, { option: name })
    if (!fits(value)) throw new CodedError('INVALID_ARGUMENT', `providerConfig: ${name} is not valid`, { option: name })
  }
  const config = given as ProviderConfig
  const refused = config.settingSources?.find((source) => ofProject.includes(source))
  if (refused === undefined || trustProjectConfig) return config
  throw new CodedError('POLICY_DENIED', `The policy of this machine does not load settings of "${refused}".`, {
    rule: 'trustProjectConfig',
  })
}

/** The settings that the program loads. */
export function settingSourcesOf(config: ProviderConfig, trustProjectConfig: boolean): readonly string[] {
  return config.settingSources ?? (trustProjectConfig ? ['user', ...ofProject] : ['user'])
}

export function providerFlags(config: ProviderConfig): string[] {
  const { maxTurns, maxBudgetUsd, betas = [], fallbackModel } = config
  return [
    ...(config.includePartialMessages === false ? [] : ['--include-partial-messages']),
    ...(config.enableFileCheckpointing ? ['--replay-user-messages'] : []),
    ...(maxTurns === undefined ? [] : [`--max-turns=${maxTurns}`]),
    ...(maxBudgetUsd === undefined ? [] : [`--max-budget-usd=${maxBudgetUsd}`]),
    ...(fallbackModel === undefined ? [] : [`--fallback-model=${fallbackModel}`]),
    ...(betas.length === 0 ? [] : [`--betas=${betas.join(',')}`]),
  ]
}

/** For the first request to the program: beside the process list, where anybody could read it. */
export const providerIntroduction = (config: ProviderConfig): Frame =>
  compact({
    // Sub-agents say nothing unless asked to.
    forwardSubagentText: config.forwardSubagentText === false ? undefined : true,
    systemPrompt: config.systemPrompt,
    agents: config.agents,
    jsonSchema: config.outputSchema,
  })
