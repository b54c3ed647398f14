import type { LucideIcon } from 'lucide-react'

/** Something that can be done from every page. */
export interface ShellAction {
  label: string
  icon: LucideIcon
  act: () => void
}
