import { readLauncherCustomString, vendorString } from '../vendor'

/** What a launcher sets while the service runs. */
export type Settings = {
  launcherCustomString(): string | undefined
  /** null, missing or empty clears it. @throws ServiceError `invalid-request` */
  setLauncherCustomString(value: unknown): void
  /** How this player is shown to others. @param own what an order names itself; without it the one that is set */
  vendor(own?: string): string
}

export function createSettings({ product, version }: { product: string; version: string }): Settings {
  let custom: string | undefined
  return {
    launcherCustomString: () => custom,
    setLauncherCustomString(value) {
      custom = readLauncherCustomString(value)
    },
    vendor: (own = custom) => vendorString(product, version, own),
  }
}
