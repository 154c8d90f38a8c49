/** What visitors use; the place in the list is how it is stored, so it never changes. */
export const DEVICE_TYPES = ['desktop', 'mobile', 'tablet', 'other'] as const;

export type DeviceType = (typeof DEVICE_TYPES)[number];

/** How a device type is stored. */
export const deviceCode = (device: DeviceType): number => DEVICE_TYPES.indexOf(device);
