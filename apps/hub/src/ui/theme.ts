/** The chosen theme: `light`, `dark`, or what the system says. The boot script reads the same key before first paint. */
const KEY = 'roundhouse.theme'

export function currentTheme(): 'light' | 'dark' {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function toggleTheme(): void {
  const theme = currentTheme() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  localStorage.setItem(KEY, theme)
}
