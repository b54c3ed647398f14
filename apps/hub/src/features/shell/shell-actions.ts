import type { LucideIcon } from 'lucide-react'

/** An action that every page offers. */
export interface ShellAction {
  label: string
  icon: LucideIcon
  act: () => void
}
