/** What a manifest offers, as options of a control. Missing backends stay visible, greyed, with their reason. Pure. */
import type { BackendManifestEntry, ManifestChoice, Sandbox } from '@roundhouse/backend-types'
import type { ChoiceOption } from '../../ui/choice'

export function backendOptions(backends: readonly BackendManifestEntry[]): ChoiceOption[] {
  return backends.map((backend) => ({
    value: backend.kind,
    label: backend.installed ? backend.label : `${backend.label} — ${backend.unavailableReason ?? 'not installed'}`,
    disabled: !backend.installed,
    ...(backend.unavailableReason ? { title: backend.unavailableReason } : {}),
  }))
}

export function choiceOptions(choices: readonly ManifestChoice[]): ChoiceOption[] {
  return choices.map((choice) => ({
    value: choice.code,
    label: choice.label,
    ...(choice.description ? { title: choice.description } : {}),
  }))
}

export function defaultCode(choices: readonly ManifestChoice[]): string {
  return (choices.find((choice) => choice.default) ?? choices[0])?.code ?? ''
}

/** What holds when nothing is set: the program's own choice, where none of its levels is said to be that. */
export function thinkingChoices(levels: readonly ManifestChoice[], set: string | undefined) {
  const open = set === undefined && !levels.some((level) => level.default)
  const options = choiceOptions(levels).map((option) => ({ ...option, label: `Thinking: ${option.label}` }))
  return {
    value: set ?? (open ? '' : defaultCode(levels)),
    options: open ? [{ value: '', label: 'Thinking: Default' }, ...options] : options,
  }
}

const sandboxWords: Record<Sandbox, string> = {
  'read-only': 'Read only',
  'workspace-write': 'Write in folder',
  'full-access': 'Full access',
}

export function sandboxOptions(sandboxes: readonly Sandbox[]): ChoiceOption[] {
  return sandboxes.map((sandbox) => ({ value: sandbox, label: sandboxWords[sandbox] }))
}

export function sandboxLabel(sandbox: string | undefined): string {
  return sandbox !== undefined && Object.hasOwn(sandboxWords, sandbox) ? sandboxWords[sandbox as Sandbox] : 'unknown'
}
