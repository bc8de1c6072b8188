import { reports } from '@lantern-room/formats/browser'

const COLUMNS = ['gallery', 'phone', 'profile', 'result', 'what was seen', 'report']

/** The reports that say something of a profile as a table, in their order. */
export function renderPhoneReports(): string {
  const rows = reports
    .filter(({ profile }) => profile !== null)
    .map(({ gallery, phone, system, result, profile, what, url, date }) => [
      gallery,
      system === '' ? phone : `${phone}, ${system}`,
      `\`${profile}\``,
      result,
      what,
      `[${date}](${url})`,
    ])
  return [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
