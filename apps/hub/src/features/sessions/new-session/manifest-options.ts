/** Turns a manifest into options of a control. Missing backends stay visible, greyed, with their reason. Pure. */
import type { BackendManifestEntry, ManifestChoice, Sandbox } from '@roundhouse/backend-types'
import type { ChoiceOption } from '../../../ui/forms/choice'
import { sandboxLabel } from '../../../ui/text/setting-words'

export function backendOptions(backends: readonly BackendManifestEntry[]): ChoiceOption[] {
  return backends.map((backend) => ({
    value: backend.kind,
    label: backend.installed ? backend.label : `${backend.label} — ${backend.unavailableReason ?? 'not installed'}`,
    disabled: !backend.installed,
    ...(backend.unavailableReason ? { title: backend.unavailableReason } : {}),
  }))
}

/** `current`: the current value. If it is no longer offered, it is shown but cannot be chosen again. */
export function choiceOptions(choices: readonly ManifestChoice[], current?: string): ChoiceOption[] {
  const options = choices.map((choice) => ({
    value: choice.code,
    label: choice.label,
    ...(choice.description ? { title: choice.description } : {}),
  }))
  return withCurrent(options, current)
}

function withCurrent(options: ChoiceOption[], current: string | undefined, label = current): ChoiceOption[] {
  if (!current || !label || options.some(({ value }) => value === current)) return options
  return [...options, { value: current, label, disabled: true }]
}

export function defaultCode(choices: readonly ManifestChoice[]): string {
  return (choices.find((choice) => choice.default) ?? choices[0])?.code ?? ''
}

/** Options that the sandbox excludes say so. */
export function modeOptions(
  { modes }: Offers,
  current: string | undefined,
  sandbox: string | undefined,
): ChoiceOption[] {
  return choiceOptions(modes, current).map((option) => {
    const mode = modes.find(({ code }) => code === option.value)
    return !mode || goTogether(mode, sandbox) ? option : excluded(option, sandboxLabel(sandbox))
  })
}

type Offers = Pick<BackendManifestEntry, 'modes' | 'sandboxes'>

const goTogether = ({ sandboxes }: ManifestChoice, sandbox: string | undefined): boolean =>
  sandbox === undefined || sandboxes === undefined || sandboxes.some((one) => one === sandbox)

const excluded = (option: ChoiceOption, other: string): ChoiceOption => ({
  ...option,
  label: `${option.label} — not with “${other}”`,
  disabled: true,
})

/** The effective value if nothing is set: the program's own default, if none of its levels is marked as the default. */
export function thinkingChoices(
  { models, thinkingOptions = [] }: Pick<BackendManifestEntry, 'models' | 'thinkingOptions'>,
  set: string | undefined,
  model: string | undefined,
) {
  const taken = models.find(({ code }) => code === model)?.thinking
  const levels = thinkingOptions.filter(({ code }) => taken?.includes(code) ?? true)
  const open = set === undefined && !levels.some((level) => level.default)
  const options = choiceOptions(levels, set).map((option) => ({ ...option, label: `Thinking: ${option.label}` }))
  return {
    value: set ?? (open ? '' : defaultCode(levels)),
    options: open ? [{ value: '', label: 'Thinking: Default' }, ...options] : options,
  }
}

/** From the least to the most access. */
const sandboxLevels: readonly Sandbox[] = ['read-only', 'workspace-write', 'full-access']

interface SandboxLimits {
  /** The limit of the machine's policy. An older agent reports more than it allows. */
  max?: string | undefined
  /** The mode that is set. */
  mode?: string | undefined
}

export function sandboxOptions({ modes, sandboxes }: Offers, current: string, limits: SandboxLimits): ChoiceOption[] {
  const most = sandboxLevels.indexOf(limits.max as Sandbox)
  const allowed = sandboxes.filter((sandbox) => most < 0 || sandboxLevels.indexOf(sandbox) <= most)
  const mode = modes.find(({ code }) => code === limits.mode)
  const options = allowed.map((sandbox): ChoiceOption => {
    const option = { value: sandbox, label: sandboxLabel(sandbox) }
    return !mode || goTogether(mode, sandbox) ? option : excluded(option, mode.label)
  })
  return withCurrent(options, current, sandboxLabel(current))
}
