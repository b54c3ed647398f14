import { Choice, type ChoiceOption } from './choice'

interface FilterChoiceProps {
  label: string
  /** What stands for no filter: "Any machine". */
  any: string
  /** `[value, label]`, in the order shown. */
  options: ReadonlyArray<readonly [value: string, label: string]>
  /** Absent or empty: no filter. */
  value: string | undefined
  onChoose: (value: string) => void
}

/** One question of a filter, asked the same way on every page that has one. */
export function FilterChoice({ any, options, value = '', ...rest }: FilterChoiceProps) {
  const shown: ChoiceOption[] = [['', any] as const, ...options].map(([key, label]) => ({ value: key, label }))
  return <Choice {...rest} value={value} options={shown} />
}
