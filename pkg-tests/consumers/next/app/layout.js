export const metadata = { title: 'cipherloom', icons: 'data:,' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
